import { existsSync } from 'node:fs'
import { acme } from '#agent/kernel/host/acme.ts'
import { exclusiveByName } from '#agent/kernel/host/exclusive.ts'
import { refusingFull } from '#agent/kernel/host/full-database.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { clock } from '#agent/kernel/host/real/clock.ts'
import { openDatabase } from '#agent/kernel/host/real/database.ts'
import { files } from '#agent/kernel/host/real/files.ts'
import { reachingAcme, reachingNet, reachingVisitor } from '#agent/kernel/host/real/helper-net.ts'
import { net } from '#agent/kernel/host/real/net.ts'
import { programs } from '#agent/kernel/host/real/programs.ts'
import { random } from '#agent/kernel/host/real/random.ts'
import { scanning } from '#agent/kernel/host/real/scanning.ts'
import { confinedShell, freeShell } from '#agent/kernel/host/real/unconfined.ts'
import { visitor } from '#agent/kernel/host/real/visitor.ts'
import type { HostSettings } from '#agent/kernel/host/settings.ts'
import { sharedByName } from '#agent/kernel/host/shared.ts'
import { siteScanner } from '#agent/kernel/sandbox/reading/scanner.ts'

export function realHost(settings: HostSettings): Host {
  // As sd_booted(3) decides it.
  const init = existsSync('/run/systemd/system') ? 'systemd' : 'direct'
  const privileged = process.getuid?.() === 0
  const own = { shell: freeShell(init), files, privileged, clock, random }
  const scanner = siteScanner(scanning({ init, privileged }), own)
  const database = refusingFull(openDatabase(), files)
  const turns = { exclusive: exclusiveByName(), shared: sharedByName(), holders: new Map() }
  return { ...own, init, scanner, database, net, visitor, acme, settings, programs, ...turns }
}

/** This machine, for a process in the sandbox of sandbox.ts: forbidden actions run outside of it. */
export function confinedHost(settings: HostSettings): Host {
  const host = realHost(settings)
  const reader = scanning({ ...host, unit: 'hosting-agent.service' })
  const scanner = siteScanner(reader, { ...host, shell: confinedShell })
  const outside = { net: reachingNet, visitor: reachingVisitor, acme: reachingAcme }
  return { ...host, scanner, shell: confinedShell, ...outside }
}
