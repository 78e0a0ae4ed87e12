import { Button } from '#dashboard/web/ui/button.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import type { ClientLogin } from '#shared/access/api/access.ts'
import { HowToConnect } from './how-to-connect.tsx'

interface LoginOfClientProps {
  login: ClientLogin
  onHide: () => void
}

/** Shown once: the password is stored nowhere. */
export function LoginOfClient({ login, onHide }: LoginOfClientProps) {
  const { label, login: user, password } = login
  return (
    <section
      aria-label={`Login of ${label}`}
      className="flex flex-col gap-4 rounded-lg border border-line bg-sunken p-4"
    >
      <p>The password of {label} is shown once and is not stored.</p>
      <Snippet text={password} what="the password" />
      <HowToConnect login={{ ...login, user, shell_user: null }} />
      <div>
        <Button onClick={onHide}>Hide password</Button>
      </div>
    </section>
  )
}
