import { existsSync } from 'node:fs'
import { acme } from '#agent/kernel/host/acme.ts'
import { exclusiveByName } from '#agent/kernel/host/exclusive-by-name.ts'
import { limitedByName } from '#agent/kernel/host/limited-by-name.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { clock } from '#agent/kernel/host/real/clock.ts'
import { openDatabase } from '#agent/kernel/host/real/database.ts'
import { files } from '#agent/kernel/host/real/files.ts'
import { helperAcme, helperNet, helperVisitor } from '#agent/kernel/host/real/helper-net.ts'
import { net } from '#agent/kernel/host/real/net.ts'
import { programs } from '#agent/kernel/host/real/programs.ts'
import { random } from '#agent/kernel/host/real/random.ts'
import { startScanHelper } from '#agent/kernel/host/real/scanning.ts'
import { confinedShell, freeShell } from '#agent/kernel/host/real/unconfined.ts'
import { visitor } from '#agent/kernel/host/real/visitor.ts'
import { refusingFullDisk } from '#agent/kernel/host/refuse-full-disk.ts'
import type { HostSettings } from '#agent/kernel/host/settings.ts'
import { siteScanner } from '#agent/kernel/sandbox/reading/scanner.ts'

export function realHost(settings: HostSettings): Host {
  // Decided as by sd_booted(3).
  const init = existsSync('/run/systemd/system') ? 'systemd' : 'direct'
  const privileged = process.getuid?.() === 0
  const own = { shell: freeShell(init), files, privileged, clock, random }
  const scanner = siteScanner(startScanHelper({ init, privileged }), own)
  const database = refusingFullDisk(openDatabase(), files)
  const turns = {
    exclusive: exclusiveByName(),
    shared: limitedByName(),
    holders: new Map(),
    unlimited: new Map(),
  }
  return { ...own, init, scanner, database, net, visitor, acme, settings, programs, ...turns }
}

/** Returns this machine for a process in the sandbox of sandbox.ts; the rest runs outside. */
export function confinedHost(settings: HostSettings): Host {
  const host = realHost(settings)
  const reader = startScanHelper({ ...host, unit: 'hosting-agent.service' })
  const scanner = siteScanner(reader, { ...host, shell: confinedShell })
  const outside = { net: helperNet, visitor: helperVisitor, acme: helperAcme }
  return { ...host, scanner, shell: confinedShell, ...outside }
}
