import { AT, LATER } from '#dashboard/http/samples.ts'

const UNTIL = '2026-03-08T09:30:12.000Z'
const PUBLIC_KEY =
  '-----BEGIN PUBLIC KEY-----\nMIIBojANBgkqhkiG9w0BAQEFAAOCAY8A\n-----END PUBLIC KEY-----\n'
const SNAPSHOT = '9e4fff65e12aa564aa3f906f60f359038eb23fde80d97341f6c81481f786b3a2'
const place = {
  kind: 'rest' as const,
  url: 'https://backup.example.net:8000/hosting/',
  user: 'hosting',
  ca: '',
}
const Target = {
  ...{ id: 1, name: 'Backup server', place, is_default: true },
  ...{ checked_at: AT, append_only: true, backups: 42, created_at: AT },
}
const sizes = { files: 3579, tables: 12, bytes: 125_114_191, stored: 33_272_036 }
const Backup = { id: 3, at: AT, target_id: 1, target: 'Backup server', ...sizes, seconds: 14 }
const report = { id: SNAPSHOT, repository: 'shop_k3f9', at: AT, ...sizes, seconds: 13.6 }

const schedule = { every: 'weekly' as const, target_id: 1, next_at: UNTIL }
const CoveredSite = {
  ...{ id: 1, domain: 'shop.example', server_id: 1, server: 'web1', state: 'late' as const },
  ...{ last_at: AT, next_at: UNTIL, bytes: sizes.bytes, target: 'Backup server' },
  last_error: 'The target is not reachable: connection refused',
}
const GoneSite = {
  ...{ domain: 'old.example', target: 'Backup server', count: 30, last_at: AT },
  bytes: sizes.bytes,
}

const Kit = { fingerprint: 'd3e29d075a441e38', created_at: AT, confirmed_at: null }

export const BACKUP_EXAMPLES = {
  BackupTarget: Target,
  CreateBackupTarget: { name: 'Backup server', place, secret: 'the password of the user' },
  UpdateBackupTarget: { name: 'Backup server', is_default: true },
  CheckBackupTarget: { target_id: 1 },
  BackupKit: { ...Kit, confirmed_at: LATER },
  BackupKitCreated: { kit: Kit, challenge: 'VZG8m/VoM/PUMNYZa8sHWHwHjH4g3dSkl0l8KJUJ2rFj' },
  CreateBackupKit: { public_key: PUBLIC_KEY },
  ConfirmBackupKit: { answer: 'x2Zl0m1qJ5Yw9sTtU4kVb8nRr3cXo7Qd6hGfEeLpA0M=' },
  CreateBackup: { target_id: 1 },
  RestoreBackup: { backup_id: 3, parts: { files: true, database: true } },
  Backup,
  SetBackupSettings: { every: 'weekly', target_id: 1 },
  BackupSettings: schedule,
  SiteBackups: { backups: [Backup], obstacle: null, undo: { at: AT, until: UNTIL }, ...schedule },
  CoveredSite,
  GoneSite,
  BackupCoverage: {
    kit: { ...Kit, confirmed_at: LATER },
    targets: [Target],
    counts: { sites: 12, ok: 10, late: 1, never: 0, off: 1 },
    ...{ sites: [CoveredSite], total: 1, page: 1, per_page: 50 },
    gone: [GoneSite],
  },
  BackupCheckComplete: { status: 'ok', append_only: true },
  BackupCreateComplete: { status: 'ok', domain: 'shop.example', backup: report },
  BackupRestoreComplete: { status: 'ok', domain: 'shop.example', at: AT, until: UNTIL },
  BackupUndoComplete: { status: 'ok', domain: 'shop.example' },
}
