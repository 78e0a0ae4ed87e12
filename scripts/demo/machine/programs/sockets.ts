import type { Output } from '#agent/host/ports.ts'
import { said } from '#agent/host/simulated/programs/output.ts'

/** Listening programs, as ss(8) lists them. */
export const ss = (): Output => said(listening(80) + listening(443))

const listening = (port: number) =>
  `LISTEN 0 511 0.0.0.0:${port} 0.0.0.0:* users:(("nginx",pid=11,fd=6))\n`
