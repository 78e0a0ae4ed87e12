import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS } from './systemd.ts'

/** The timer that ends the freeze of a site that moves. */
export const unfreezeTimerOf = (user: string) => `hosting-thaw@${user}.timer`

/** Returns whether the timer exists: from before the freeze to after it. */
export const isFreezing = async ({ files }: Host, user: string): Promise<boolean> =>
  (await files.stat(`${UNITS}/${unfreezeTimerOf(user)}`)) !== undefined
