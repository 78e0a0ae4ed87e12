import { useMutation, useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { loginProvidersQuery, startSso } from '#dashboard/web/api/sso.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'

interface ProviderButtonsProps {
  /** The page to open afterwards. */
  to?: string
  /** The token of an invitation, which the login accepts. */
  invitation?: string
}

/** A button for each provider at which a login can begin; nothing without one. */
export function ProviderButtons(given: ProviderButtonsProps) {
  const { data = [] } = useQuery(loginProvidersQuery)
  const { mutate, variables, isPending, isSuccess, error } = useMutation({
    mutationFn: (provider: string) => startSso({ provider, ...given }),
  })
  if (data.length === 0) return null
  return (
    <div className="flex flex-col gap-2">
      {data.map(({ key, name }) => (
        <Button
          key={key}
          icon={<LogIn />}
          className="wrap-anywhere whitespace-normal"
          busy={(isPending || isSuccess) && variables === key}
          onClick={() => mutate(key)}
        >
          Log in with {name}
        </Button>
      ))}
      {error && <Failure error={error} />}
    </div>
  )
}
