/** The User-Agent of dashboards in logs; statistics ignore agents with `bot`. */
export const OUTSIDE_AGENT = 'HostingControl-visit (bot; a dashboard requests this site)'

/** The default interval, in seconds. */
export const DEFAULT_VISIT_INTERVAL = 300
export const MIN_VISIT_INTERVAL = 60
export const MAX_VISIT_INTERVAL = 86_400
