import type { Maintenance } from '#shared/updates/maintenance.ts'

const AT = '2026-03-01T09:00:00.000Z'

/** What an agent reports of a server that needs nothing. */
export const WELL: Maintenance = {
  checked_at: AT,
  lists_at: AT,
  packages: [],
  packages_problem: '',
  reboot: { needed: false, reasons: [] },
  old_files: [],
  restarts: [],
  unattended: { enabled: true, wanted: true, source: 'hosting-control', detail: '' },
  last_update: null,
}

export const pendingPackage = (name: string, security = true) => ({
  name,
  installed: '1',
  candidate: '2',
  security,
})
