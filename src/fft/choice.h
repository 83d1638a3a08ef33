/* Choices of passes: the heuristic default, alternatives, and the results of tuning. */
#ifndef RW_FFT_CHOICE_H
#define RW_FFT_CHOICE_H

#include "fft/line.h"

/* ---- a pass: its key names what its speed depends on ---- */

void rw_fft_line_key(const rw_fft_line_spec *spec, char key[RW_FFT_KEY]);
/* The choice from the wisdom of the device, else the heuristic one. */
rw_fft_choice rw_fft_choose(rw_device *dev, const rw_fft_line_spec *spec);
/* Alternatives to `from`, each different in one respect; at most `most`. Returns their number. */
int rw_fft_other_choices(const rw_device *dev, const rw_fft_line_spec *spec, const rw_fft_choice *from,
                         rw_fft_choice *list, int most);
void rw_fft_choice_print(const rw_fft_choice *c, char text[RW_FFT_KEY]);
/* false: the text is not a choice. */
bool rw_fft_choice_parse(const char *text, rw_fft_choice *c);

/* ---- an axis: one pass, or a matrix of a rows and b columns ---- */

/* What its passes are chosen by. */
typedef struct rw_fft_axis {
    int64_t n; /* points that are transformed */
    bool f64, convolves;
    bool along;   /* its elements are neighbours in memory */
    bool single;  /* one pass holds it, */
    bool cluster; /* … of groups that work together */
} rw_fft_axis;

typedef struct rw_fft_matrix {
    int64_t a, b; /* a 0: one pass */
} rw_fft_matrix;

void rw_fft_axis_key(const rw_fft_axis *axis, char key[RW_FFT_KEY]);
/* false: there is none. */
bool rw_fft_choose_matrix(rw_device *dev, const rw_fft_axis *axis, rw_fft_matrix *matrix);
int rw_fft_other_matrices(const rw_device *dev, const rw_fft_axis *axis, rw_fft_matrix *list, int most);
void rw_fft_matrix_print(const rw_fft_matrix *m, char text[RW_FFT_KEY]);
bool rw_fft_matrix_parse(const char *text, int64_t n, rw_fft_matrix *m);

/* ---- wisdom: choices of a device, by key; of the process, from the cache on disk at first ---- */

/* false: none. */
bool rw_fft_wisdom_find(rw_device *dev, const char *key, char value[RW_FFT_KEY]);
/* value NULL: removes the entry. */
rw_status rw_fft_wisdom_put(rw_device *dev, const char *key, const char *value);
/* Writes it to the cache on disk. */
rw_status rw_fft_wisdom_keep(rw_device *dev);

#endif
