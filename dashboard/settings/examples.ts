export const SETTING_EXAMPLES = {
  ChangeSetting: { value: 120 },
  SettingChanged: { key: 'sync_interval', value: 120, updated: true },
  Settings: { default_php: '8.4', sync_interval: 60, email_notifications: true },
  FleetSettings: {
    default_php: '8.4',
    sync_interval: 60,
    email_notifications: true,
    unattended_updates: true,
    backup_every: 'daily',
    backup_first: true,
    proof_every: 'weekly',
    backup_window: { from: '01:00', to: '05:00' },
    backups_per_server: 1,
    backups_at_once: 4,
    site_shell: false,
    client_accounts: false,
  },
}
