import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const UNTIL = '2026-03-08T09:30:12.000Z'
const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEAtR7d8shV13XdmsR44idr
fKTVBOwv9BtGaDGWJpZI19d2013zmaWFphcluM4pFTlROic0w1yIe65wMuo0Uace
hkFFAngcx6T14idg/a0S+BjN9CxdDs07RzLodwt0dGGoBi+lF/8d9nbCABk38H2h
RGrnframOZSt/XSu8NivGTyQt91tNMGl7fLX41TWp9h5HpZdF1ocvXJLlJzbY1GF
vA9I5fgS355LeQV17yPCG5EH4IT4M978/9mGkdYQWzgfy+5+6TyEuT/5b+IsXsQL
Ep2QzjvIzYdf7FR3bRV86RheBnIolqrV/oYjcwDXCgxZQQwFUj2GzvUph2nhraQ+
4BHhXfspw19dfAA5/A7tVh6UDgIOISBG/CNm6KG1YZIWVmFcALeRqaGIerw5n8Oy
xYD3nDX1ESA8MsD61yqGMIG5MVHZ2xahJUDeOyszC1pc3yrR5UKLfq9NfQv2vRSO
RMuFPz+YoW1HtV9rJk0mYaIwah0vnY9spvvjyqSQreX9AgMBAAE=
-----END PUBLIC KEY-----
`
const SNAPSHOT = '9e4fff65e12aa564aa3f906f60f359038eb23fde80d97341f6c81481f786b3a2'
const Keeper = {
  at: AT,
  is_late: false,
  repositories: 12,
  backups: 340,
  postponed: 0,
  troubled: 1,
  forgotten: 12,
  problems: [
    {
      repository: 'shop_k3f9',
      code: 'garbage' as const,
      message: 'Removed garbage: keys/1a2b',
    },
  ],
}
const place = {
  kind: 'rest' as const,
  url: 'https://backup.example.net:8000/hosting/',
  user: 'hosting',
  ca: '',
}
const Target = {
  id: 1,
  name: 'Backup server',
  place,
  is_default: true,
  checked_at: AT,
  append_only: true,
  keeper_key: PUBLIC_KEY,
  keeper: Keeper,
  backups: 42,
  created_at: AT,
}
const sizes = { files: 3579, tables: 12, bytes: 125_114_191, stored: 33_272_036 }
const RestoreRequest = {
  at: AT,
  by: 'Anna Weber',
  email: 'anna@shop.example',
  note: 'The prices are gone since this morning.',
  backup_id: 1,
  backup_at: AT,
}
const Proof = {
  at: AT,
  proven: true,
  findings: [],
  files: 3579,
  tables: 12,
  rows: 5210,
  pages: 3,
  seconds: 21,
}
const Backup = {
  id: 3,
  at: AT,
  is_ahead: false,
  target_id: 1,
  target: 'Backup server',
  ...sizes,
  seconds: 14,
  excluded: [],
  proof: Proof,
}
const SEALED = 'VZG8m/VoM/PUMNYZa8sHWHwHjH4g3dSkl0l8KJUJ2rFj'
const report = { id: SNAPSHOT, repository: 'shop_k3f9', at: AT, ...sizes, seconds: 13.6 }

const schedule = {
  every: 'weekly' as const,
  target_id: null,
  backup_first: null,
  exclude: ['wp-content/uploads/videos'],
  in_effect: {
    every: 'weekly' as const,
    every_from: { kind: 'site' as const, tag: null },
    target_id: 1,
    target_from: { kind: 'tag' as const, tag: 'production' },
    backup_first: true,
    backup_first_from: { kind: 'fleet' as const, tag: null },
  },
  next_at: UNTIL,
}
const VERSION = '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945'
const OwnRule = {
  tag: 'production',
  every: 'default' as const,
  target_id: 1,
  backup_first: true,
  per_server: 2,
}
const Rule = { ...OwnRule, servers: 4 }

const CoveredSite = {
  id: 1,
  domain: 'shop.example',
  server_id: 1,
  server: 'web1',
  state: 'late' as const,
  last_at: AT,
  proven_at: AT,
  next_at: UNTIL,
  bytes: sizes.bytes,
  target: 'Backup server',
  last_error: 'The target is not reachable: connection refused',
}
const GoneSite = {
  domain: 'old.example',
  target: 'Backup server',
  count: 30,
  backup_id: 3,
  last_at: AT,
  bytes: sizes.bytes,
}

const Kit = { fingerprint: 'd3e29d075a441e38', created_at: AT, confirmed_at: null }

const ProofReport = {
  backup: '5f0c'.repeat(16),
  at: AT,
  proven: true,
  findings: [],
  files: 4012,
  bytes: 184_220_311,
  tables: 12,
  rows: 5210,
  pages: [{ path: '/', status: 200 }],
  core: 'same',
  seconds: 21.4,
}

export const BACKUP_EXAMPLES = {
  BackupKeeper: Keeper,
  BackupTarget: Target,
  CreateBackupTarget: {
    name: 'Backup server',
    place,
    secret: 'the password of the user',
    keeper_key: null,
  },
  UpdateBackupTarget: { name: 'Backup server', is_default: true },
  CheckBackupTarget: { target_id: 1 },
  BackupKit: { ...Kit, confirmed_at: LATER },
  BackupKits: { in_use: { ...Kit, confirmed_at: LATER }, pending: null },
  BackupKitCreated: { kit: Kit, challenge: 'VZG8m/VoM/PUMNYZa8sHWHwHjH4g3dSkl0l8KJUJ2rFj' },
  CreateBackupKit: { public_key: PUBLIC_KEY },
  ConfirmBackupKit: { answer: 'x2Zl0m1qJ5Yw9sTtU4kVb8nRr3cXo7Qd6hGfEeLpA0M=' },
  CreateBackup: { target_id: 1 },
  ProofReport,
  ProveBackup: { backup_id: 3 },
  RestoreBackup: {
    backup_id: 3,
    parts: { files: true, database: true, paths: ['wp-content/uploads'] },
  },
  BackupProof: Proof,
  Backup,
  BackupFiles: {
    entries: [
      { name: 'uploads', kind: 'directory' as const, size: 0, at: AT, can_choose: true },
      { name: 'index.php', kind: 'file' as const, size: 28, at: AT, can_choose: true },
    ],
    is_cut: false,
    tables: ['wp_options', 'wp_posts'],
  },
  SetBackupSettings: {
    every: 'weekly',
    target_id: null,
    backup_first: null,
    exclude: schedule.exclude,
  },
  FindBackups: { target_id: 1 },
  FoundBackups: {
    is_listed: true,
    dashboard_key: PUBLIC_KEY,
    repositories: [
      { name: 'shop_k3f9', keys: [{ kit: Kit.fingerprint, sealed: SEALED }], backups: 0 },
    ],
    next: null,
    unnamed: 0,
  },
  AdoptBackups: { target_id: 1, repository: 'shop_k3f9', sealed_passwords: [SEALED] },
  AdoptedBackups: {
    repository: 'shop_k3f9',
    domain: 'shop.example',
    backups: 30,
    added: 30,
    last_at: AT,
  },
  BackupRule: Rule,
  SetBackupRules: { rules: [OwnRule], version: VERSION },
  BackupRules: { rules: [Rule], version: VERSION },
  BackupSettings: schedule,
  RestoreRequest,
  SiteBackups: {
    backups: [Backup],
    gone: [{ id: 2, at: AT, target: 'Backup server', gone_at: LATER }],
    obstacle: null,
    undo: { cause: 'site.push', at: AT, until: UNTIL },
    requested: RestoreRequest,
    ...schedule,
    next_proof_at: UNTIL,
  },
  RefreshGoneBackups: { domain: 'shop.example' },
  RefreshedBackups: { gone: 2, found: 1 },
  GoneBackup: { id: 3, at: AT, bytes: sizes.bytes, target: 'Backup server' },
  CoveredSite,
  GoneSite,
  BackupCoverage: {
    kit: { ...Kit, confirmed_at: LATER },
    targets: [Target],
    counts: {
      sites: 12,
      ok: 8,
      unproven: 1,
      failed: 1,
      late: 1,
      never: 0,
      off: 1,
      week: 1,
      unproven_week: 3,
    },
    sites: [CoveredSite],
    total: 1,
    page: 1,
    per_page: 50,
    gone: [GoneSite],
  },
  BackupCheckComplete: { status: 'ok', append_only: true },
  BackupCreateComplete: { status: 'ok', domain: 'shop.example', backup: report },
  BackupRestoreComplete: { status: 'ok', domain: 'shop.example', at: AT, until: UNTIL },
  BackupProveComplete: { status: 'ok', domain: 'shop.example', proof: ProofReport },
  BackupUndoComplete: { status: 'ok', domain: 'shop.example' },
}
