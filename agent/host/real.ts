import { existsSync } from 'node:fs'
import { siteScanner } from '../os/reading/scanner.ts'
import { acme } from './acme.ts'
import { exclusiveByName } from './exclusive.ts'
import type { Clock, Host, HostSettings } from './ports.ts'
import { openDatabase } from './real/database.ts'
import { files } from './real/files.ts'
import { net } from './real/net.ts'
import { confinedShell, freeShell } from './real/outside.ts'
import { programs } from './real/programs.ts'
import { random } from './real/random.ts'
import { reachingAcme, reachingNet, reachingVisitor } from './real/reaching.ts'
import { scanning } from './real/scanning.ts'
import { visitor } from './real/visitor.ts'

const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** This machine. */
export function realHost(settings: HostSettings): Host {
  // As sd_booted(3) decides it.
  const init = existsSync('/run/systemd/system') ? 'systemd' : 'direct'
  const privileged = process.getuid?.() === 0
  const shell = freeShell(init)
  return {
    shell,
    files,
    scanner: siteScanner(scanning({ init, privileged }), {
      shell,
      files,
      privileged,
      clock,
      random,
    }),
    database: openDatabase(),
    net,
    visitor,
    acme,
    init,
    privileged,
    clock,
    random,
    settings,
    programs,
    exclusive: exclusiveByName(),
  }
}

/** This machine, for a process in the sandbox of sandbox.ts: what that forbids is done outside of it. */
export function confinedHost(settings: HostSettings): Host {
  const host = realHost(settings)
  const reader = scanning({ ...host, unit: 'hosting-agent.service' })
  const scanner = siteScanner(reader, { ...host, shell: confinedShell })
  const outside = { net: reachingNet, visitor: reachingVisitor, acme: reachingAcme }
  return { ...host, scanner, shell: confinedShell, ...outside }
}
