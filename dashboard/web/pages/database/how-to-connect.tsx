import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { CreatedDatabaseUser } from '#shared/database/api/site-database.ts'

interface HowToConnectProps {
  login: CreatedDatabaseUser
  onHide: () => void
}

/** Shown once: the password is stored nowhere. */
export function HowToConnect({ login, onHide }: HowToConnectProps) {
  const { user, password, database, host, port, tunnel, socket, ends_at } = login
  const mono = (text: string) => <code className="font-mono break-all select-all">{text}</code>
  return (
    <section
      aria-label="How to connect"
      className="flex flex-col gap-4 rounded-lg border border-line bg-sunken p-4"
    >
      <p>
        The password is shown once and is not stored. The user ends <Time at={ends_at} />.
      </p>
      <p>1. Open a tunnel on your computer, and leave it open:</p>
      <Snippet text={tunnel} what="the command" />
      <p>2. Connect your database client to the tunnel:</p>
      <Facts
        of={{
          Host: mono(host),
          Port: mono(String(port)),
          User: mono(user),
          Database: mono(database),
        }}
      />
      <Snippet text={password} what="the password" />
      <p className="text-xs text-muted">
        The tunnel needs an SSH login to the server. On the server itself, a client uses the socket{' '}
        {mono(socket)}.
      </p>
      <div>
        <Button onClick={onHide}>Hide password</Button>
      </div>
    </section>
  )
}
