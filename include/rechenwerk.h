/* All headers of Rechenwerk. Link librechenwerk; mesh.h (CGNS), fft.h (signals), image.h (files, streams) and run.h say
 * which of their functions need librechenwerk-run too. */
#ifndef RECHENWERK_H
#define RECHENWERK_H

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"
#include "rechenwerk/device.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/image.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/mesh.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/precond.h"
#include "rechenwerk/program.h"
#include "rechenwerk/run.h"
#include "rechenwerk/sparse.h"

#endif
