import type { Command } from '#agent/steps/command.ts'
import { suspension } from './suspension.ts'

export const siteResume: Command<'site.resume'> = suspension(
  'Resuming',
  ({ suspended: _, ...site }) => site,
)
