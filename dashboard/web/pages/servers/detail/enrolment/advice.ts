import type { ReachCode } from '#shared/servers/api/enrolment.ts'

interface Address {
  hostname: string
  port: number
}

/** What to do about what keeps an agent from being reached. */
export const ADVICE: Record<ReachCode, (address: Address) => string> = {
  connection_refused: () =>
    'This is expected until the install command has run there. If it has, run `systemctl status hosting-agent` on the server.',
  timed_out: allowAccess,
  unreachable: allowAccess,
  unresolved: ({ hostname }) => `Correct the hostname, or add a DNS record for ${hostname}.`,
  waits_for_code: () => 'Type the code at the prompt of the install command.',
}

function allowAccess({ hostname, port }: Address): string {
  return `Allow this dashboard to reach port ${port} of ${hostname}: a firewall there or at the provider may block it.`
}
