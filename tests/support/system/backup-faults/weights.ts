import type { Host } from '#tests/support/lab/index.ts'

/** The first program of a name that appears within a minute, by its number. */
const FIND = `while [ $SECONDS -lt 60 ]; do pgrep --exact --newest "$1" && exit; sleep 0.02; done; exit 1`
const PROPERTIES = ['CPUWeight', 'IOWeight', 'MemoryMax', 'TasksMax', 'Slice']

/** What the kernel and systemd have of a running program: its priorities, and the limits of its unit. */
export async function weightsOf(host: Host, name: string) {
  const pid = (await host.must(['bash', '-c', FIND, 'find', name])).trim()
  const read = (file: string) => host.must(['cat', `/proc/${pid}/${file}`])
  // Its name stands in parentheses.
  const [, fields = ''] = (await read('stat')).split(') ')
  const unit = /[^/\n]+\.service$/m.exec(await read('cgroup'))?.[0] ?? ''
  const shown = await host.must(['systemctl', 'show', '--property', PROPERTIES.join(), unit])
  const variables = (await read('environ')).split('\0')
  return {
    nice: Number(fields.split(' ')[16]),
    io: (await host.must(['ionice', '-p', pid])).trim(),
    unit: Object.fromEntries(
      shown
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ),
    go: variables.filter((line) => line.startsWith('GO')).sort(),
  }
}
