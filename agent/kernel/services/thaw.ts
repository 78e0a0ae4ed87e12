import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS } from './systemd.ts'

/** The timer that ends the freeze of a site that moves. */
export const thawTimerOf = (user: string) => `hosting-thaw@${user}.timer`

/** From before the freeze to after it. */
export const isFreezing = async ({ files }: Host, user: string): Promise<boolean> =>
  (await files.stat(`${UNITS}/${thawTimerOf(user)}`)) !== undefined
