/* The table of the runner's settings, made from run.def. */
#include "run/run_settings.h"

#define RW_SECTION_PREFIX(section) run_##section
#define RW_SECTION_DEF "run/run.def"
#define RW_SECTION_STORAGE
#define RW_SECTION_TABLE_NAME rw_run_sections
#include "run/section_table.h"

const int rw_nrun_sections = RW_COUNT(rw_run_sections);
