import type { Output } from '#agent/kernel/host/ports.ts'

const DONE: Output = { code: 0, stdout: '', stderr: '' }

export const done = (): Output => DONE
export const printed = (stdout: string): Output => ({ ...DONE, stdout })
export const failed = (stderr: string, code = 1): Output => ({ code, stdout: '', stderr })
export const lastOf = (argv: readonly string[]) => argv.at(-1) ?? ''
