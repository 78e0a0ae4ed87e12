import { existsSync } from 'node:fs'
import { acme } from './acme.ts'
import { exclusiveByName } from './exclusive.ts'
import type { Host, HostSettings } from './ports.ts'
import { openDatabase } from './real/database.ts'
import { files } from './real/files.ts'
import { net } from './real/net.ts'
import { confinedShell } from './real/outside.ts'
import { programs } from './real/programs.ts'
import { random } from './real/random.ts'
import { reachingAcme, reachingNet } from './real/reaching.ts'
import { shell } from './real/shell.ts'

/** This machine. */
export function realHost(settings: HostSettings): Host {
  return {
    shell,
    files,
    database: openDatabase(),
    net,
    acme,
    // As sd_booted(3) decides it.
    init: existsSync('/run/systemd/system') ? 'systemd' : 'direct',
    privileged: process.getuid?.() === 0,
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    random,
    settings,
    programs,
    exclusive: exclusiveByName(),
  }
}

/** This machine, for a process in the sandbox of sandbox.ts: what that forbids is done outside of it. */
export function confinedHost(settings: HostSettings): Host {
  return { ...realHost(settings), shell: confinedShell, net: reachingNet, acme: reachingAcme }
}
