/** The kinds of machine that the agent is built for: processor and, where it is not glibc, the libc. */
export const MACHINES = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl'] as const

/** Returns the kind of machine of a process by `process.arch` and its /proc/self/maps. */
export function machineOf(arch: string, maps: string): string {
  return `linux-${arch}${maps.includes('/ld-musl-') ? '-musl' : ''}`
}

/** Returns its file in dist/: a build without a target runs on the machine that built it. */
export function buildName(machine: string, own_machine: string): string {
  return machine === own_machine ? 'hosting-agent' : `hosting-agent-${machine}`
}
