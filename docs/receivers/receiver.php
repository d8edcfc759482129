<?php

/**
 * A receiver of Stillup's webhooks: prints each event whose signature is right, once. SIGNING_SECRET is
 * the webhook's signing secret, and PORT is where to listen, 8485 if nothing else is said.
 * `php receiver.php` judges the secret and goes on as `php -S 127.0.0.1:8485 receiver.php`.
 */

declare(strict_types=1);

final class BadSignature extends Exception
{
}

/** The key that a signing secret holds. Throws if there is none. */
function signingKey(string $secret): string
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new InvalidArgumentException('A signing secret is whsec_ and base64.');
    }
    return $key;
}

/**
 * Throws unless the message was signed with this key within five minutes of now.
 *
 * @param array<string, mixed> $server `$_SERVER`, which holds the headers
 */
function verify(string $key, array $server, string $body): void
{
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $signatures = $server['HTTP_WEBHOOK_SIGNATURE'] ?? '';
    if ($id === '' || $timestamp === '' || $signatures === '') {
        throw new BadSignature('a header is missing');
    }
    if (!ctype_digit($timestamp)) {
        throw new BadSignature('the timestamp is not a number');
    }
    if (abs(time() - (int) $timestamp) > 300) {
        throw new BadSignature('the message is too old or too new');
    }
    $expected = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // Several while a secret is being replaced. One of them is enough.
    foreach (explode(' ', $signatures) as $entry) {
        [$version, $signature] = explode(',', $entry, 2) + ['', ''];
        if ($version === 'v1' && hash_equals($expected, $signature)) {
            return;
        }
    }
    throw new BadSignature('none is by this secret');
}

function receive(string $key): void
{
    // Until all is well. Otherwise PHP would answer 200 where it stops at an error.
    http_response_code(500);
    $body = file_get_contents('php://input');
    try {
        verify($key, $_SERVER, $body);
        take($_SERVER['HTTP_WEBHOOK_ID'], json_decode($body, flags: JSON_THROW_ON_ERROR));
    } catch (BadSignature | JsonException $error) {
        $what = $error instanceof BadSignature ? 'bad signature' : 'bad body';
        refuse("$what: {$error->getMessage()}");
        return;
    }
    http_response_code(204);
}

/** A real receiver puts the event into a queue here and answers at once: the work comes later. */
function take(string $id, mixed $event): void
{
    if (isNew($id)) {
        tell('verified ' . json_encode($event, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE));
    }
}

function refuse(string $why): void
{
    tell("refused, $why");
    http_response_code(400);
    header('content-type: text/plain');
    echo "$why\n";
}

/**
 * PHP forgets everything between two requests, so each id is the name of a file. A real receiver keeps
 * them in its database: a unique column will do.
 */
function isNew(string $id): bool
{
    $folder = sys_get_temp_dir() . '/stillup-receiver';
    $file = $folder . '/' . hash('sha256', $id);
    is_dir($folder) || mkdir($folder, 0700);
    if (is_file($file)) {
        return false;
    }
    // Fails where two requests come at once, and the second is then tried again by its sender.
    if (fopen($file, 'x') === false) {
        throw new RuntimeException("$file cannot be made");
    }
    return true;
}

/** On the terminal: what is echoed is the answer. */
function tell(string $line): void
{
    file_put_contents('php://stdout', "$line\n");
}

/** Becomes the web server that comes with PHP and runs this file once for each request. */
function serve(string $port): never
{
    $probe = @stream_socket_server("tcp://127.0.0.1:$port", $code, $why);
    if ($probe === false) {
        tell("It cannot listen on 127.0.0.1:$port: $why.");
        exit(1);
    }
    fclose($probe);
    tell("receiving on http://127.0.0.1:$port/");
    $command = [PHP_BINARY, '-S', "127.0.0.1:$port", __FILE__];
    if (function_exists('pcntl_exec')) {
        pcntl_exec($command[0], array_slice($command, 1));
    }
    passthru(implode(' ', array_map('escapeshellarg', $command)), $code);
    exit($code);
}

try {
    $key = signingKey((string) getenv('SIGNING_SECRET'));
} catch (InvalidArgumentException) {
    http_response_code(500);
    tell("SIGNING_SECRET must be a webhook's signing secret: whsec_ and base64.");
    exit(1);
}
PHP_SAPI === 'cli' ? serve(getenv('PORT') ?: '8485') : receive($key);
