export const OFF_SITE_EXAMPLES = {
  DashboardBackup: {
    ...{ target: 'Backup server', obstacle: null, requested_at: null },
    ...{ error: null, error_code: null },
    ...{ tried_at: '2026-03-01T09:30:12.000Z', saved_at: '2026-03-01T09:30:12.000Z' },
  },
}
