/* The laboratory: studies that answer one question each by measurements, compared with published values.
 *
 *   rw_lab_spec spec = {.study = "rock4", .devices = (const char *const[]){"cpu:1", "cuda:0"}, .ndevices = 2};
 *   rw_lab *lab;
 *   rw_lab_run(ctx, &spec, &lab);
 *   rw_lab_save(lab, "results/rock4", NULL, NULL);      text, Markdown, CSV, JSON, figures
 *   rw_lab_destroy(&lab);
 *
 * A study has parameters with defaults and produces one or more tables of numbers. A missing number (no published value
 * for this row, a run that did not finish) is NaN. */
#ifndef RW_STUDIES_H
#define RW_STUDIES_H

#include "rechenwerk/core.h"
#include "rechenwerk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A study as listed by rw_lab_list. */
typedef struct rw_lab_entry {
    const char *name, *title, *question;
    const char *source;         /* source of the published values */
    const rw_param *parameters; /* lists: numbers or words with commas between */
    int nparameters;
    const char *const *tables; /* their names */
    int ntables;
} rw_lab_entry;

/* The studies, *n of them; static memory. */
const rw_lab_entry *const *rw_lab_list(int *n);

typedef void rw_lab_text_function(void *user, const char *text);

typedef struct rw_lab_spec {
    const char *study;
    /* [ndevices] as rw_device_open takes them; none: cpu:1, cpu and every usable GPU, */
    const char *const *devices;
    int ndevices;           /* and what else OpenCL and CUDA offer that is not the same hardware again; */
                            /* some studies run on one device, without a name cpu:1 */
    const char *const *set; /* [nset] "NAME=VALUE" */
    int nset;
    const char *table;              /* (optional) only this one is made */
    rw_lab_text_function *progress; /* (optional) called before each piece of work: "N = 64 on cuda:0" */
    void *user;
} rw_lab_spec;

typedef struct rw_lab rw_lab;

/* Runs a study. ERR_ARGUMENT with the nearest study, parameter or table; ERR_DEVICE; ERR_FILE and ERR_INPUT for files
 * named by parameters; errors of the devices. If a solver fails, a note and a row with gaps result, not an error. */
rw_status rw_lab_run(rw_context *context, const rw_lab_spec *spec, rw_lab **lab);
void rw_lab_destroy(rw_lab **lab);

/* Number of rows of a table (0 if it was not computed), and a value in it. Columns that exist once per device have
 * names such as "seconds cuda:0"; for devices and names the value is their index. NaN: no such row, table or column, or
 * no value. */
int rw_lab_rows(const rw_lab *lab, const char *table);
double rw_lab_value(const rw_lab *lab, const char *table, int row, const char *column);

/* TEXT for a terminal and MARKDOWN for a page hold all tables; CSV one table, with names, units and numbers of 17
 * digits (devices and names are numbered, comments name them); JSON everything. */
typedef enum rw_lab_format { RW_LAB_TEXT, RW_LAB_MARKDOWN, RW_LAB_CSV, RW_LAB_JSON } rw_lab_format;

/* CSV writes `table`, or the first one made when it is NULL; the others write all and ignore it. *text is freed with
 * free(). ERR_ARGUMENT: no such table; ERR_MEMORY. */
rw_status rw_lab_write(const rw_lab *lab, const char *table, rw_lab_format format, char **text);

/* Writes STUDY.txt, STUDY.md, STUDY.json, STUDY-TABLE.csv and STUDY-FIGURE.png into a folder, which is made if it is
 * missing; files of these names are replaced. `written` (optional) is called with each path. ERR_FILE, ERR_MEMORY. */
rw_status rw_lab_save(const rw_lab *lab, const char *folder, rw_lab_text_function *written, void *user);

#ifdef __cplusplus
}
#endif
#endif
