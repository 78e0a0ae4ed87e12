import { runEnrolment } from './enrol-agent.ts'

export interface Opened {
  code: string
  hub_key: string
}

/** Root's command on a server, with the code on the input; resolves with the whole output. */
export async function enrolByHand(
  state: string,
  server: number,
  { code, hub_key }: Opened,
): Promise<string> {
  const args = ['enrol', '--hub-key', hub_key, '--server', String(server)]
  return (await runEnrolment(args, code, state)).trim()
}
