const AT = '2026-03-01T09:00:00.000Z'

const PendingPackage = {
  name: 'libssl3',
  installed: '3.0.19-1~deb12u2',
  candidate: '3.0.22-1~deb12u2',
  security: true,
}
const Reboot = { needed: true, reasons: ['kernel 6.1.0-40-amd64'] }
const OldFilesProgram = {
  name: 'mariadb',
  kind: 'service',
  domain: '',
  since: AT,
  problem: 'A restart interrupts sites for some seconds: request it',
}
const ServiceRestarts = { name: 'nginx', count: 1, last_at: AT }
const Unattended = { enabled: true, wanted: true, source: 'hosting-control', detail: '' }
const LastUpdate = { at: AT, packages: ['php8.2-fpm', 'php8.2-cli'] }
const Maintenance = {
  checked_at: AT,
  lists_at: AT,
  packages: [PendingPackage],
  packages_problem: '',
  reboot: Reboot,
  old_files: [OldFilesProgram],
  restarts: [ServiceRestarts],
  unattended: Unattended,
  last_update: LastUpdate,
}

export const MAINTENANCE_EXAMPLES = {
  InstallUpdates: { scope: 'security', restart_database: false, without_backup: false },
  LastUpdate,
  Maintenance,
  MaintenanceView: { at: AT, maintenance: Maintenance },
  OldFilesProgram,
  PendingPackage,
  Reboot,
  ServiceRestarts,
  Unattended,
  ServerUpdateComplete: {
    status: 'ok',
    packages: ['libssl3'],
    restarted: ['nginx', 'php-fpm:shop_k3f9'],
    reboot_needed: false,
  },
  UpdatesConfigureComplete: { status: 'ok', unattended: Unattended },
}
