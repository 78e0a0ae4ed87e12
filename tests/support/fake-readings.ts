const EMPTY_DATABASE = {
  ...{ tables: [], table_count: 0, data_bytes: 0, index_bytes: 0, free_bytes: 0 },
  ...{ options: [], queries: null },
}
const NO_EVENTS = { events: [], total: 0, overdue: 0, next_run_at: null, stopped: null }

/** What the fake agent answers about any site, by path. */
export const OF_SITES = {
  '/sites/job-runs': { runs: [] },
  '/sites/jobs': { stopped: null, jobs: [] },
  '/sites/database': EMPTY_DATABASE,
  '/sites/database-upload': { part: 0 },
  '/sites/database-users': { users: [] },
  '/sites/database-exporting': { export: null },
  '/sites/job-output': { run: null, output: '' },
  '/sites/wordpress-cron': NO_EVENTS,
  '/sites/wordpress-users': { users: [], more: false },
  '/sites/object-cache': {
    ...{ memory: null, limit: null, numbers: null, drop_in: 'none', other: null },
  },
  '/sites/logs/list': { logs: [] },
}
