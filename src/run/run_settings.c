/* The table of the runner's settings, made from run.def. */
#include "run/run_settings.h"

#define RW_SETTINGS_PREFIX(section) run_##section
#define RW_SETTINGS_DEF "run/run.def"
#define RW_SETTINGS_STORAGE
#define RW_SETTINGS_TABLE rw_run_sections
#include "run/settings_table.h"

const int rw_nrun_sections = RW_COUNT(rw_run_sections);
