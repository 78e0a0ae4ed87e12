import type { SiteProcess } from '#agent/host/ports.ts'
import { onlyPrograms } from '#agent/os/as-site/empty-root.ts'

/** Where the program sees its folder. */
export const SEEN = '/exchange'

/**
 * Runs a program as root with an empty file system, into which only one folder is mounted: a link
 * that a site made leads nowhere, and a rename ends in the folder.
 */
export const moverProcess = (folder: string): SiteProcess => ({
  user: 'root',
  slice: 'system.slice',
  directives: [
    ...onlyPrograms({
      programs: ['/usr/bin/xargs', '/usr/bin/mv'],
      writes: [`${folder}:${SEEN}`],
    }),
    'PrivateDevices=yes',
    'PrivateNetwork=yes',
    'CapabilityBoundingSet=CAP_DAC_OVERRIDE CAP_FOWNER',
    'NoNewPrivileges=yes',
    'PrivateIPC=yes',
    'ProtectProc=invisible',
    'RestrictNamespaces=yes',
    'LockPersonality=yes',
    'KeyringMode=private',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallErrorNumber=EPERM',
    'KillSignal=SIGKILL',
    'LimitCORE=0',
    'TasksMax=16',
  ],
  launcher: [],
})
