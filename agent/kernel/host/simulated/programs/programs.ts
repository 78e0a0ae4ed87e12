import { posix } from 'node:path'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { ownAgent, tar } from './copies.ts'
import { concatenate, copy, digest, exists, read, remove, sync, write } from './files.ts'
import { php } from './php.ts'
import { restic } from './restic.ts'
import { systemctl } from './services.ts'
import { chpasswd, gpasswd, groupdel, useradd, userdel, usermod } from './users.ts'

export type Program<Machine, Result = Output> = (
  machine: Machine,
  argv: readonly string[],
  options: RunOptions,
) => Result

/** Programs that change nothing but files. */
export const PROGRAMS = {
  useradd,
  userdel,
  groupdel,
  gpasswd,
  usermod,
  chpasswd,
  cat: concatenate,
  cp: copy,
  rm: remove,
  dd: write,
  head: read,
  tail: read,
  test: exists,
  sync,
  tar,
  'hosting-agent': ownAgent,
  php,
  restic,
  sha256sum: digest,
  systemctl,
} satisfies Record<string, Program<{ disk: Disk }>>

/** The name of a program in a table: `php` for /usr/bin/php8.4. */
export const programOf = ([path = '']: readonly string[]): string =>
  posix.basename(path).replace(/[\d.]+$/, '')
