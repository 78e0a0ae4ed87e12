import type { Command } from '#agent/steps/command.ts'
import { suspension } from './suspension.ts'

export const siteSuspend: Command<'site.suspend'> = suspension('Suspending', (site) => ({
  ...site,
  suspended: true,
}))
