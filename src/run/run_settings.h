/* The settings of the runner as structures: run_top, run_output, run_checkpoint; see run.def. */
#ifndef RW_RUN_SETTINGS_H
#define RW_RUN_SETTINGS_H

#include "io/colormap.h"
#include "run/sections.h"
#include "run/writers.h"

#define RUN_COLORMAP(value, name) name "|"
#define RUN_COLORMAPS "auto|" RW_COLORMAP_LIST(RUN_COLORMAP)
#define RUN_FORMAT(name, folder, files, index, line) #name " (" line "), "
#define RUN_FORMATS RW_FIELD_WRITERS(RUN_FORMAT)
enum { RUN_COLORMAP_AUTO, RUN_COLORMAP_FIRST }; /* then those of rw_colormap */
enum { RUN_FIGURES_ALL, RUN_FIGURES_LAST };

#define RW_SECTION_PREFIX(section) run_##section
#define RW_SECTION_DEF "run/run.def"
#include "run/section_structs.h"

extern const rw_section rw_run_sections[];
extern const int rw_nrun_sections;

#endif
