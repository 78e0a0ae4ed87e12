interface Address {
  hostname: string
  port: number
}

/** What to do about what keeps an agent from being reached; empty when there is nothing to add. */
export function adviceOn(reason: string, { hostname, port }: Address): string {
  if (reason.endsWith('refused the connection'))
    return 'This is expected until the install command has run there. If it has, run `systemctl status hosting-agent` on the server.'
  if (/did not answer in time|cannot be reached/.test(reason))
    return `Allow this dashboard to reach port ${port} of ${hostname}: a firewall there or at the provider may block it.`
  if (reason.endsWith('cannot be resolved'))
    return `Correct the hostname, or add a DNS record for ${hostname}.`
  if (reason.endsWith('waits for its code'))
    return 'Type the code at the prompt of the install command.'
  return ''
}
