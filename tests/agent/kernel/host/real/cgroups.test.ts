import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isControlGroup } from '#agent/kernel/host/real/cgroups.ts'
import { unless } from '#tests/support/skip.ts'

const mounted = / (?<folder>\S+) cgroup2 /.exec(readFileSync('/proc/mounts', 'utf8'))?.groups

unless(mounted ? undefined : 'no control groups of version 2 here').test(
  'knows a control group',
  () => {
    expect(isControlGroup(mounted?.folder ?? '')).toBe(true)
  },
)

test('accepts neither a plain folder nor a missing one as a control group', () => {
  const folder = mkdtempSync(join(tmpdir(), 'group-'))
  try {
    for (const name of ['cgroup.procs', 'cgroup.controllers', 'cgroup.kill'])
      writeFileSync(join(folder, name), '')

    expect([isControlGroup(folder), isControlGroup(`${folder}/none`)]).toEqual([false, false])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
