/* run.files: the names of the files that runs have written into a results folder, each added before it is written.
 *
 *   rechenwerk files 2026-01-31T12:00:00Z 4711 123456789      first line: which run began the list
 *   series.csv
 *   fields/
 *   fields/000000.h5
 * A name is that of a file of the folder itself or of one of its subfolders; other lines are not accepted. The
 * list is read and written through the descriptor of its folder; a link in its place is refused. A last line without an
 * end belongs to a file that was never begun. Not here: what is done with the files (folder.c, aside.c). */
#ifndef RW_JOURNAL_H
#define RW_JOURNAL_H

#include "core/core.h"

#define RW_JOURNAL_FILE "run.files"

typedef struct rw_journal {
    rw_context *ctx;
    int file;    /* descriptor to append to, -1: none */
    char *head;  /* first line without its end, NULL: there is no list */
    char **name; /* in the order of writing */
    int n, capacity;
    size_t bytes; /* of the whole lines that were read */
    int *slot;    /* hash table of 1 + index into name, 0: free; NULL while the list is empty */
    int nslots;
} rw_journal;

/* Reads the list in the folder; j->head stays NULL when there is none. ERR_INPUT: not a list of this kind; ERR_FILE;
 * ERR_MEMORY. `where` names the folder in messages. */
rw_status rw_journal_read(rw_context *ctx, int folder, const char *where, rw_journal *j);
/* Replaces the list in the folder by the names of `from`, or by an empty one with a head of its own (NULL), opened to
 * append to. */
rw_status rw_journal_create(rw_context *ctx, int folder, const char *where, const rw_journal *from, rw_journal *j);
/* Opens the list that was read to append to it; cuts off a last line without an end. */
rw_status rw_journal_continue(int folder, const char *where, rw_journal *j);
bool rw_journal_has(const rw_journal *j, const char *name);
/* Adds a name to the list, in the file first. */
rw_status rw_journal_add(rw_journal *j, const char *where, const char *name);
void rw_journal_free(rw_journal *j);

/* Subfolders that a run writes into; NULL-terminated. */
extern const char *const rw_journal_folders[];
/* The subfolder in which NAME lies and its name there; folder NULL: the results folder. False: no name that a run
 * gives. */
bool rw_journal_split(const char *name, const char **folder, const char **base);
/* Whether what follows the number of an output is that of a file which a writer puts into the folder. */
bool rw_journal_is_of(const char *folder, const char *rest);
/* A name for a file: letters, digits, '-', '_' and '.' of `name`. */
void rw_picture_name(const char *name, char *file, size_t size);

#endif
