import { useNavigate, useSearch } from '@tanstack/react-router'
import { LogIn as Icon } from 'lucide-react'
import { useState } from 'react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { readSiteSearch } from '#dashboard/web/features/sites/site-search.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { LoginDialog } from './login-dialog.tsx'
import { useLogin } from './use-login.ts'

/** Logs in as the first administrator. Asks for the password of the dashboard if that is needed. */
export function LogIn({ site }: { site: Site }) {
  const [isAsking, setAsking] = useState(false)
  const asked = useAsked()
  const isOffline = useServerOffline(site)
  const { mutate, isPending } = useLogin(site)
  const logIn = () =>
    mutate(
      { user_id: null },
      { onError: (error) => (needsConfirmation(error) ? setAsking(true) : toastError(error)) },
    )
  return (
    <>
      <Button
        icon={<Icon />}
        disabled={isOffline || isDemo}
        {...(isDemo && { title: 'The sites of the demo are simulated' })}
        busy={isPending}
        onClick={logIn}
      >
        Log in to WordPress
      </Button>
      <LoginDialog
        site={site}
        needsPassword
        open={isAsking || asked.isOpen}
        onClose={() => {
          setAsking(false)
          asked.close()
        }}
      />
    </>
  )
}

/** The palette asks by the address, since its own dialog is closed. */
function useAsked() {
  const navigate = useNavigate()
  const isOpen = useSearch({
    strict: false,
    select: (raw) => readSiteSearch({ ...raw }).login === true,
  })
  const without = (raw: object) => {
    const { login: _, ...rest } = readSiteSearch({ ...raw })
    return rest
  }
  const close = () => {
    if (isOpen) void navigate({ to: '.', search: without, replace: true })
  }
  return { isOpen, close }
}
