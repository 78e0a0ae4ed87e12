import type { SiteProcess } from '#agent/kernel/host/ports.ts'
import { onlyPrograms } from '#agent/kernel/sandbox/empty-root.ts'

/** The path at which the program sees its folder. */
export const SANDBOX_FOLDER = '/exchange'

interface FolderRights {
  /** Paths of the programs that may be executed. */
  programs: readonly string[]
  /** Capabilities of capabilities(7), separated by blanks. */
  capabilities: string
}

/**
 * Runs a program as root with an empty file system, into which only one folder is mounted: a link
 * that a site made leads nowhere, and a rename ends in the folder. It has only these capabilities,
 * and executes only these programs.
 */
export const folderProcess = (
  folder: string,
  { programs, capabilities }: FolderRights,
): SiteProcess => ({
  user: 'root',
  slice: 'system.slice',
  directives: [
    ...onlyPrograms({ programs, writes: [`${folder}:${SANDBOX_FOLDER}`] }),
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
