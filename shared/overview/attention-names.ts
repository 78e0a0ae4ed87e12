import type { AttentionKind } from '#shared/overview/api/attention.ts'

/** The title of each kind of attention item, for one and for many. */
export const ATTENTION_NAMES: Record<AttentionKind, readonly [one: string, many: string]> = {
  records_changed: [
    'change of the records outside of the dashboard',
    'changes of the records outside of the dashboard',
  ],
  factor_reset: [
    'account whose two-factor authentication was reset',
    'accounts whose two-factor authentication was reset',
  ],
  owner_made: [
    'account that was made an owner on the machine of the dashboard',
    'accounts that were made owners on the machine of the dashboard',
  ],
  server_offline: ['server is offline', 'servers are offline'],
  site_down: ['site is down', 'sites are down'],
  disk_full: ['disk is nearly full', 'disks are nearly full'],
  service_failed: ['service has failed', 'services have failed'],
  service_restarts: ['service restarts repeatedly', 'services restart repeatedly'],
  site_identity: [
    'site that its server reports as another one',
    'sites that their servers report as others',
  ],
  foreign_address: [
    'site or server that is reported with the address of another one',
    'sites and servers that are reported with the addresses of others',
  ],
  isolation: [
    'server whose sites may reach each other',
    'servers whose sites may reach each other',
  ],
  site_degraded: ['site is degraded', 'sites are degraded'],
  site_failed: ['site has failed', 'sites have failed'],
  certificate: ['certificate expires soon', 'certificates expire soon'],
  mail: ['server whose mail is not delivered', 'servers whose mail is not delivered'],
  report_mail: ['report was not sent', 'reports were not sent'],
  restore_requested: [
    'site whose client asks for a restore',
    'sites whose clients ask for a restore',
  ],
  site_jobs: ['site whose jobs fail', 'sites whose jobs fail'],
  backup_late: ['site without a recent backup', 'sites without a recent backup'],
  backup_missing: [
    'site whose previous backup was deleted',
    'sites whose previous backup was deleted',
  ],
  dashboard_backup: [
    'backup of the dashboard that is missing or late',
    'backups of the dashboard that are missing or late',
  ],
  backup_failed: ['site whose last backup failed', 'sites whose last backup failed'],
  backup_proof_failed: [
    'site whose backup could not be proven',
    'sites whose backups could not be proven',
  ],
  backup_unproven: [
    'site without a recently proven backup',
    'sites without a recently proven backup',
  ],
  backup_keeper: [
    'backup target whose keeper has a problem',
    'backup targets whose keepers have problems',
  ],
  backup_setup: ['step to set up backups', 'steps to set up backups'],
  site_disk: ['site is near or over its disk limit', 'sites are near or over their disk limit'],
  operation_failed: ['failed operation to retry', 'failed operations to retry'],
  site_missing: ['site not found on its server', 'sites not found on their servers'],
  sites_not_recorded: ['reported site is not recorded', 'reported sites are not recorded'],
  security_updates: ['server with security updates', 'servers with security updates'],
  reboot_needed: ['server needs a reboot', 'servers need a reboot'],
  old_files: ['server runs replaced files', 'servers run replaced files'],
  php_eol: ['site on end-of-life PHP', 'sites on end-of-life PHP'],
  agent_outdated: ['agent that needs an upgrade', 'agents that need an upgrade'],
  name_conflict: [
    'discovered site with a name that another server also has',
    'discovered sites with names that other servers also have',
  ],
  updates: ['site with updates', 'sites with updates'],
}
