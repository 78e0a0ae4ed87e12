import { expect, test } from 'bun:test'
import { SCAN_DATA_BYTES } from '#agent/kernel/host/real/scanning.ts'
import { must } from '#scripts/lib/run.ts'

test('the memory limit of a scan without systemd leaves Bun its compiler and FFI', async () => {
  const module = Bun.resolveSync('#agent/kernel/scan/effective-ids.ts', import.meta.dir)
  const code = `import { threadIds } from '${module}'; console.log(threadIds() !== undefined)`

  const limited = ['prlimit', `--data=${SCAN_DATA_BYTES}`, '--', process.execPath, '-e', code]

  expect(await must(limited)).toBe('true\n')
})
