# frozen_string_literal: true

# A receiver of Stillup's webhooks: prints each event whose signature is right, once. SIGNING_SECRET is
# the webhook's signing secret, and PORT is where to listen, 8485 if nothing else is said.

require "json"
require "openssl"
require "set"
require "socket"

# No message of Stillup comes near it.
MOST_BYTES = 1024 * 1024

class BadSignature < StandardError
end

# The key that a signing secret holds, of which "m0" reads the strict base64. Raises ArgumentError if
# there is none.
def signing_key(secret)
  key = secret.delete_prefix("whsec_").unpack1("m0")
  raise ArgumentError, "a signing secret is never empty" if key.empty?

  key
end

# Raises BadSignature unless the message was signed with this key within five minutes of now.
def verify(key, headers, body)
  names = %w[webhook-id webhook-timestamp webhook-signature]
  id, timestamp, signatures = headers.values_at(*names).map(&:to_s)
  raise BadSignature, "a header is missing" if [id, timestamp, signatures].any?(&:empty?)
  raise BadSignature, "the timestamp is not a number" unless timestamp.match?(/\A\d+\z/)

  age = Time.now.to_i - timestamp.to_i
  raise BadSignature, "the message is too old or too new" if age.abs > 300

  signed = [id, timestamp, body].map(&:b).join(".")
  expected = [OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0")
  # Several while a secret is being replaced. One of them is enough.
  is_signed = signatures.split(" ").any? do |entry|
    version, signature = entry.split(",", 2)
    version == "v1" && OpenSSL.secure_compare(signature.to_s, expected)
  end
  raise BadSignature, "none is by this secret" unless is_signed
end

# Only as much of HTTP as this takes. In a real receiver the web server does it: with Rack, the body is
# `request.body.read`, and the headers are in `HTTP_WEBHOOK_ID` and so on.
class Receiver
  def initialize(key)
    @key = key
    # A real receiver keeps these in its database, where they survive a restart: a unique column will do.
    @seen = Set.new
    @lock = Mutex.new
  end

  def serve(socket)
    headers = read_headers(socket)
    length = headers.fetch("content-length", "0").to_i
    return answer(socket, "413 Content Too Large", "at most 1 MiB") if length > MOST_BYTES

    receive(headers, socket.read(length).to_s)
    answer(socket, "204 No Content")
  rescue BadSignature, JSON::ParserError => e
    why = e.is_a?(BadSignature) ? "bad signature: #{e.message}" : "bad body: no JSON"
    puts "refused, #{why}"
    answer(socket, "400 Bad Request", why)
  ensure
    socket.close
  end

  private

  def receive(headers, body)
    verify(@key, headers, body)
    take(headers["webhook-id"], JSON.parse(body.force_encoding("UTF-8")))
  end

  # A real receiver puts the event into a queue here and answers at once: the work comes later.
  def take(id, event)
    is_new = @lock.synchronize { @seen.add?(id) }
    puts "verified #{JSON.generate(event)}" if is_new
  end

  def read_headers(socket)
    socket.gets("\r\n", MOST_BYTES)
    headers = {}
    while (line = socket.gets("\r\n", MOST_BYTES).to_s.b.strip) != ""
      name, value = line.split(":", 2)
      headers[name.downcase] = value.to_s.strip
    end
    headers
  end

  def answer(socket, status, text = nil)
    body = text ? "#{text}\n" : ""
    length = text ? "content-length: #{body.bytesize}\r\n" : ""
    socket.write("HTTP/1.1 #{status}\r\n#{length}connection: close\r\n\r\n#{body}")
  end
end

$stdout.sync = true
begin
  receiver = Receiver.new(signing_key(ENV.fetch("SIGNING_SECRET", "")))
rescue ArgumentError
  abort "SIGNING_SECRET must be a webhook's signing secret: whsec_ and base64."
end
server = TCPServer.new("127.0.0.1", ENV.fetch("PORT", "8485"))
puts "receiving on http://127.0.0.1:#{server.addr[1]}/"
loop { Thread.new(server.accept) { |socket| receiver.serve(socket) } }
