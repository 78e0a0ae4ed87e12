const PLACE = {
  kind: 'rest',
  url: 'https://backup.example:8000/dashboard/',
  user: 'dashboard',
  ca: '',
}
const AT = '2026-03-01T09:30:12.000Z'
const TARGET = { place: PLACE, keeper_key: null, checked_at: AT }

export const OFF_SITE_EXAMPLES = {
  DashboardTarget: TARGET,
  SetDashboardTarget: { place: PLACE, secret: 'password-of-this-account', keeper_key: null },
  DashboardBackup: {
    target: TARGET,
    obstacle: null,
    requested_at: null,
    error: null,
    error_code: null,
    tried_at: AT,
    saved_at: AT,
    release_key: { state: 'saved', since: AT },
  },
}
