import { languages } from '@mdm/contract'
import type { Language } from '@mdm/contract'
import type { FastifyRequest } from 'fastify'
import { safeUrl } from '../lib/log.ts'
import type { RequestInfo } from './context.ts'

/** What is known of a request before anyone is signed in. Header values are cut: they come from strangers. */
export function requestInfo(req: FastifyRequest, fallback: Language = 'en'): RequestInfo {
  const timestamp = req.headers['timestamp']
  return {
    kid: req.id,
    address: req.ip,
    user_agent: String(req.headers['user-agent'] ?? '').slice(0, 400),
    url: safeUrl(req.url).slice(0, 2000),
    method: req.method,
    content_type: req.headers['content-type']?.slice(0, 100) ?? null,
    content_length: Number(req.headers['content-length'] ?? 0) || 0,
    timestamp: typeof timestamp === 'string' ? timestamp.slice(0, 40) : null,
    language: languageOf(req, fallback),
  }
}

/** `lang` of the query, then the browser's languages, then the default. */
function languageOf(req: FastifyRequest, fallback: Language): Language {
  const asked = (req.query as { lang?: unknown } | undefined)?.lang
  const named = [
    asked,
    ...String(req.headers['accept-language'] ?? '')
      .split(',')
      .slice(0, 10),
  ]
  for (const name of named) {
    const found = languages.find(
      (l) => typeof name === 'string' && l.slice(0, 2) === name.trim().slice(0, 2).toLowerCase(),
    )
    if (found) return found
  }
  return fallback
}
