import { useMutation } from '@tanstack/react-query'
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
import { logIn } from './log-in.ts'
import { LoginDialog } from './login-dialog.tsx'

/** Logs in as the first administrator. Asks for the password of the dashboard if that is needed. */
export function LoginButton({ site }: { site: Site }) {
  const [isAsking, setAsking] = useState(false)
  const requested = useDialogInAddress()
  const isOffline = useServerOffline(site)
  const { mutate, isPending } = useMutation({
    mutationFn: () => logIn(site, null),
    onError: (error) => (needsConfirmation(error) ? setAsking(true) : toastError(error)),
  })
  return (
    <>
      <Button
        needs="secrets"
        icon={<Icon />}
        disabled={isOffline || isDemo}
        {...(isDemo && { title: 'The sites of the demo are simulated' })}
        busy={isPending}
        onClick={() => mutate()}
      >
        Log in to WordPress
      </Button>
      <LoginDialog
        site={site}
        needsPassword
        open={isAsking || requested.isOpen}
        onClose={() => {
          setAsking(false)
          requested.close()
        }}
      />
    </>
  )
}

/** The palette asks by the address, since its own dialog is closed. */
function useDialogInAddress() {
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
