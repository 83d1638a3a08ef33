#!/bin/sh
# A C compiler for the short tests (RECHENWERK_CC): without optimisation, which takes a third of the time.
exec cc "$@" -O0
