/* All headers of Rechenwerk. Link librechenwerk; run.h, figure.h, image_file.h, stream.h, signal.h and CGNS files
 * (multiblock.h) need librechenwerk-run too. */
#ifndef RECHENWERK_H
#define RECHENWERK_H

#include "rechenwerk/array.h"
#include "rechenwerk/blocks.h"
#include "rechenwerk/core.h"
#include "rechenwerk/depgraph.h"
#include "rechenwerk/device.h"
#include "rechenwerk/elliptic.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/image.h"
#include "rechenwerk/image_file.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/precond.h"
#include "rechenwerk/program.h"
#include "rechenwerk/run.h"
#include "rechenwerk/signal.h"
#include "rechenwerk/sparse.h"
#include "rechenwerk/stencil.h"
#include "rechenwerk/stream.h"

#endif
