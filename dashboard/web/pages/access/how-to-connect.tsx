import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import type { SiteAccess } from '#shared/access/api/access.ts'

type Login = Pick<
  NonNullable<SiteAccess['login']>,
  'host' | 'ports' | 'user' | 'shell_user' | 'host_keys'
>

/** The facts for a client with windows, and the command. */
export function HowToConnect({ login }: { login: Login }) {
  const { host, ports, user, shell_user, host_keys } = login
  const [port = 22] = ports
  const address = host.includes(':') ? `[${host}]` : host
  const option = (letter: string) => (port === 22 ? '' : `-${letter} ${port} `)
  return (
    <>
      <Facts
        of={{
          Host: <code className="font-mono">{host}</code>,
          Port: port,
          User: <code className="font-mono">{user}</code>,
          'SSH host keys': (
            <ul>
              {host_keys.map(({ type, fingerprint }) => (
                <li key={type} className="font-mono text-xs break-all">
                  {type} {fingerprint}
                </li>
              ))}
            </ul>
          ),
        }}
      />
      <Snippet text={`sftp ${option('P')}${user}@${address}`} what="the command" />
      {shell_user !== null && (
        <Snippet
          text={`ssh ${option('p')}${shell_user}@${address}`}
          what="the command for a shell"
        />
      )}
    </>
  )
}
