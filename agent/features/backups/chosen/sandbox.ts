import type { SiteProcess } from '#agent/kernel/host/ports.ts'
import { onlyPrograms } from '#agent/kernel/sandbox/empty-root.ts'

/** Where the program sees its folder. */
export const SEEN = '/exchange'

interface Rights {
  /** Paths of the programs that may be executed. */
  programs: readonly string[]
  /** capabilities(7), separated by blanks. */
  capabilities: string
}

/**
 * Runs a program as root with an empty file system, into which only one folder is mounted: a link
 * that a site made leads nowhere, and a rename ends in the folder. Of root's rights it has only the
 * capabilities, and it executes only the programs.
 */
export const folderProcess = (folder: string, { programs, capabilities }: Rights): SiteProcess => ({
  user: 'root',
  slice: 'system.slice',
  directives: [
    ...onlyPrograms({ programs, writes: [`${folder}:${SEEN}`] }),
    'PrivateDevices=yes',
    'PrivateNetwork=yes',
    `CapabilityBoundingSet=${capabilities}`,
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
