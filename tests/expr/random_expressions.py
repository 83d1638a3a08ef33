#!/usr/bin/env python3
"""Random expressions of the language with their values by mpmath: the table that test_reference.c reads.

usage: random_expressions.py [COUNT [SEED]] > random_expressions.txt     (needs mpmath)

A line is FLAGS;EXPRESSION;VALUE;VALUE;VALUE for the three nodes of POINTS. Flags: s, to be compared in f32 too; d, a
derivative, compared to 1e-9 instead of 1e-12. Every expression is evaluated with 50 digits, its constants being the
doubles that the parser makes of them. It is kept only if it is well conditioned: noise in every constant and every
inexact operation must not change it by more than 100 times the noise, which also leaves out what lies beside a jump.
NaN and infinities are kept where all samples agree. Seeds are fixed, so the same table comes out again.
"""
import random
import sys

import mpmath
from mpmath import mp, mpf, mpc

mp.dps = 50
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 26
# u, v, x at the nodes of a grid with origin 0.5 and spacing 0.25; the scalars are the same everywhere
POINTS = [{'u': 0.8125, 'v': -1.375, 'x': 0.5}, {'u': -0.40625, 'v': 2.25, 'x': 0.75},
          {'u': 1.6875, 'v': 0.15625, 'x': 1.0}]
SCALARS = {'a': 0.75, 'b': -1.25, 't': 1.5}
NAN = mpf('nan')
rng = random.Random(SEED)


class Noise:
    def __init__(self, size, seed):
        self.size, self.rng = size, random.Random(seed)
        self.large, self.small = mpf(0), mpf('inf')

    def __call__(self, z):
        size = abs(z)
        if mpmath.isfinite(size) and size > 0:
            self.large, self.small = max(self.large, size), min(self.small, size)
        if not self.size:
            return z
        real = 1 + self.size * (2 * self.rng.random() - 1)
        return z * (mpc(real, self.size * (2 * self.rng.random() - 1)) if isinstance(z, mpc) else real)


def isnan(z):
    return mpmath.isnan(z)


def truth(b):
    return mpf(1 if b else 0)


def divide(a, b):
    if b == 0:
        raise ValueError('the sign of a zero decides')
    return a / b


def power(a, b):
    if b == 0:
        return mpf(1)
    if a == 0:
        if b < 0:
            raise ValueError('the sign of a zero decides')
        return mpf(0)
    if a < 0 and b != mpmath.floor(b):
        return NAN
    return a ** b


def angle(y, x):
    if y == 0 and x <= 0:
        raise ValueError('the sign of a zero decides')
    return mpmath.atan2(y, x)


def cbrt(a):
    return mpmath.sign(a) * mpmath.cbrt(abs(a))


def domain(f, lo, hi):
    return lambda a: f(a) if lo <= a <= hi else NAN


def logarithm(base):
    return lambda a: (NAN if a < 0 else mpf('-inf') if a == 0 else
                      mpmath.log(a) if not base else mpmath.log(a) / mpmath.log(base))


INF = mpf('inf')
UNARY = {'abs': abs, 'sign': lambda a: mpf(int(mpmath.sign(a))), 'sqrt': lambda a: NAN if a < 0 else mpmath.sqrt(a),
         'cbrt': cbrt, 'exp': mpmath.exp, 'exp2': lambda a: mpf(2) ** a, 'log': logarithm(0), 'log2': logarithm(2),
         'log10': logarithm(10), 'sin': mpmath.sin, 'cos': mpmath.cos, 'tan': mpmath.tan,
         'asin': domain(mpmath.asin, -1, 1), 'acos': domain(mpmath.acos, -1, 1), 'atan': mpmath.atan,
         'sinh': mpmath.sinh, 'cosh': mpmath.cosh, 'tanh': mpmath.tanh, 'erf': mpmath.erf, 'floor': mpmath.floor,
         'not ': lambda a: truth(a == 0), '-': lambda a: -a}
BINARY = {'+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': divide, '^': power,
          '<': lambda a, b: truth(a < b), '<=': lambda a, b: truth(a <= b), '>': lambda a, b: truth(a > b),
          '>=': lambda a, b: truth(a >= b), '==': lambda a, b: truth(a == b), '!=': lambda a, b: truth(a != b),
          ' and ': lambda a, b: truth(a != 0 and b != 0), ' or ': lambda a, b: truth(a != 0 or b != 0),
          'min': min, 'max': max, 'mod': lambda a, b: a - b * mpmath.floor(a / b) if b else NAN,
          'hypot': mpmath.hypot, 'atan2': angle}
COMPLEX = {name: getattr(mpmath, name) for name in ('sqrt', 'exp', 'log', 'sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh')}
COMPLEX['conj'] = mpmath.conj
EXACT = {'abs', 'sign', 'floor', 'not ', '-1', '<', '<=', '>', '>=', '==', '!=', ' and ', ' or ', 'min', 'max'}


def evaluate(e, point, noise):
    """NaN goes through every function; comparisons with it are false, != is true."""
    kind = e[0]
    if kind == 'constant':
        value = mpf(float(e[1]))
        return value if value == int(value) else noise(value)
    if kind == 'i':
        return noise(mpc(0, mpf(float(e[1]))))
    if kind == 'name':
        return mpf(point[e[1]]) if e[1] in ('u', 'v') else noise(mpf(point[e[1]]))
    if kind == 'where':
        return evaluate(e[2] if evaluate(e[1], point, noise) != 0 else e[3], point, noise)
    if kind == 'diff':
        return mpmath.diff(lambda z: evaluate(e[1], {**point, e[2]: z}, Noise(0, 0)), mpf(point[e[2]]))
    args = [evaluate(a, point, noise) for a in e[2:]]
    name = e[1]
    if kind in ('part', 'complex', 'complex2') and any(isnan(a) for a in args):
        raise ValueError('NaN in a complex number')
    if kind == 'part':
        return noise({'real': mpmath.re, 'imag': mpmath.im, 'abs': abs}[name](args[0]))
    if any(isnan(a) for a in args):
        if name in ('<', '<=', '>', '>=', '==', ' or ', ' and ', 'not ', '!=', '^', 'hypot'):
            raise ValueError('compared with NaN')
        return NAN
    if kind == 'complex':
        return noise(COMPLEX[name](args[0]))
    if kind == 'complex2':
        return noise(BINARY[name](*args) if name != '^' else mpmath.exp(args[1] * mpmath.log(args[0])))
    value = UNARY[name](*args) if len(args) == 1 else BINARY[name](*args)
    exact = name in EXACT or (len(args) == 1 and name == '-')
    return value if exact else noise(value)


def text(e):
    kind = e[0]
    if kind == 'constant':
        return e[1]
    if kind == 'i':
        return e[1] + 'i'
    if kind == 'name':
        return e[1]
    if kind == 'diff':
        return 'diff(%s, %s)' % (text(e[1]), e[2])
    if kind == 'where':
        return 'where(%s, %s, %s)' % tuple(text(a) for a in e[1:])
    name, args = e[1], [text(a) for a in e[2:]]
    if len(args) == 2 and not name.isalnum():
        return '(%s)' % name.join(args)
    if name in ('-', 'not '):
        return '(%s(%s))' % (name, args[0])
    return '%s(%s)' % (name, ', '.join(args))


def constant():
    return ('constant', rng.choice(['1', '2', '3', '7', '10', '0.5', '0.1', '0.3', '1.7', '49', '1e-3', '2.5e2', '0.9',
                                    '1e-5']))


def leaf():
    r = rng.random()
    return ('name', rng.choice('uvuvxabt')) if r < 0.8 else constant()


def one(name, a):
    return ('unary', name, a)


def two(name, a, b):
    return ('binary', name, a, b)


def positive(e):
    return two('+', ('constant', '0.3'), one('abs', e))


def tame(e, factor='2'):
    return two('*', ('constant', factor), one('tanh', e))


def grow(depth):
    if depth <= 0 or rng.random() < 0.08:
        return leaf()
    wild = rng.random() < 0.15
    r = rng.randrange(20)
    if r < 6:
        return two(rng.choice('+-**/'), grow(depth - 1), grow(depth - 1))
    if r == 6:
        return ('where', two(rng.choice(['<', '<=', '>', '>=', '==', '!=']), grow(1), grow(1)),
                grow(depth - 1), grow(depth - 1))
    if r == 7:
        return two(rng.choice(['min', 'max', 'hypot', 'atan2']), grow(depth - 1), grow(depth - 1))
    if r == 8:
        return two('mod', grow(depth - 1), grow(depth - 1) if wild else positive(grow(depth - 2)))
    if r == 9:
        return two('^', grow(depth - 1) if wild else positive(grow(depth - 1)),
                   rng.choice([constant(), one('sin', grow(depth - 2))]))
    if r == 10:
        return two(rng.choice([' and ', ' or ', '<', '>', '==']), grow(2), grow(2))
    if r == 11:
        return ('part', rng.choice(['real', 'imag', 'abs']), grow_complex(depth - 1))
    if r == 12:
        return two('/', grow(depth - 1), rng.choice([constant(), ('name', rng.choice('abt'))]))
    name = rng.choice(list(UNARY))
    a = grow(depth - 1)
    if not wild and name in ('sqrt', 'log', 'log2', 'log10'):
        a = positive(a)
    if not wild and name in ('asin', 'acos'):
        a = tame(a, '0.9')
    if name in ('exp', 'sinh', 'cosh', 'exp2'):
        a = tame(a, '3')
    return one(name, a)


def grow_complex(depth):
    if depth <= 0 or rng.random() < 0.2:
        return ('complex2', '+', leaf(), ('i', rng.choice(['1', '0.5', '2', '0.7'])))
    r = rng.randrange(5)
    if r == 0:
        return ('complex2', rng.choice('+-*/'), grow_complex(depth - 1), grow_complex(depth - 1))
    if r == 1:
        return ('complex2', rng.choice('*/'), grow_complex(depth - 1), positive(grow(depth - 1)))
    if r == 2:
        return ('complex2', '^', grow_complex(depth - 1), ('constant', rng.choice(['2', '3', '0.5', '1.7', '7'])))
    return ('complex', rng.choice(list(COMPLEX)), grow_complex(depth - 1))


SMOOTH = ['sqrt', 'exp', 'exp2', 'log', 'log2', 'log10', 'sin', 'cos', 'atan', 'sinh', 'cosh', 'tanh', 'erf', 'asin',
          'acos', 'cbrt']


def grow_smooth(depth):
    if depth <= 0:
        return ('name', rng.choice('uuvxa')) if rng.random() < 0.8 else constant()
    r = rng.randrange(8)
    if r < 3:
        return two(rng.choice('+-*'), grow_smooth(depth - 1), grow_smooth(depth - 1))
    squared = two('+', ('constant', '1'), two('^', grow_smooth(depth - 1), ('constant', '2')))
    if r == 3:
        return two(rng.choice(['/', 'hypot', 'atan2']), grow_smooth(depth - 1), squared)
    if r == 4:
        return two('^', squared, rng.choice([('constant', '1.7'), one('sin', grow_smooth(depth - 1))]))
    name = rng.choice(SMOOTH)
    if name in ('sqrt', 'log', 'log2', 'log10', 'cbrt'):
        return one(name, squared)
    return one(name, tame(grow_smooth(depth - 1), '0.8'))


def same(a, b):
    return (isnan(a) and isnan(b)) or a == b


def conditioned(e, values, size, limit):
    """The spread under noise is below the limit at all points."""
    for k, point in enumerate(POINTS):
        for sample in range(3):
            noise = Noise(size, 1000 * k + sample)
            value = evaluate(e, {**point, **SCALARS}, noise)
            if not mpmath.isfinite(values[k]):
                if not same(value, values[k]):
                    return False
            elif (not abs(value - values[k]) <= limit * abs(values[k]) or
                  (size > 1e-10 and (noise.large > 1e20 or noise.small < 1e-20))):
                return False
    return True


def accept(e):
    """(flags, values), or None."""
    try:
        values = [evaluate(e, {**p, **SCALARS}, Noise(0, 0)) for p in POINTS]
        if (any(isinstance(v, mpc) for v in values) or
                any(mpmath.isfinite(v) and v != 0 and not 1e-200 < abs(v) < 1e200 for v in values)):
            return None
        if all(isnan(v) for v in values):
            return ('', values) if rng.random() < 0.05 else None
        if e[0] == 'diff':
            return (('d', values) if all(mpmath.isfinite(v) and (v == 0 or 1e-3 < abs(v) < 1e3) for v in values)
                    else None)
        if not conditioned(e, values, 1e-14, 1e-12):
            return None
        single = all(mpmath.isfinite(v) for v in values) and conditioned(e, values, 4e-7, 4e-5)
        return ('s' if single else '', values)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None


def number(v):
    return 'nan' if isnan(v) else 'inf' if v == INF else '-inf' if v == -INF else repr(float(v))


def main():
    print('# %d expressions, seed %d, by random_expressions.py; u, v, x at three nodes: %s; scalars: %s' %
          (COUNT, SEED, '; '.join('%(u)s %(v)s %(x)s' % p for p in POINTS),
           ', '.join('%s = %s' % s for s in SCALARS.items())))
    seen = set()
    while len(seen) < COUNT:
        e = ('diff', grow_smooth(rng.randrange(2, 4)), 'u') if rng.random() < 0.12 else grow(rng.randrange(3, 7))
        t = text(e)
        if not 12 < len(t) <= 120 or t in seen or ('u' not in t and 'v' not in t):
            continue
        found = accept(e)
        if not found:
            continue
        seen.add(t)
        print(';'.join([found[0], t] + [number(v) for v in found[1]]))


main()
