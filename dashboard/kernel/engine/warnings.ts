import type { Warning } from '#shared/servers/agent.ts'

/** The warning for the removal of a site that its agent does not know. */
export const nothingToDelete = (domain: string): Warning => ({
  code: 'nothing_to_delete',
  message: `The agent of the server does not know ${domain}: nothing was deleted there, and only the record was removed`,
})
